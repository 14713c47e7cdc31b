"""The chat platforms, one module each; the folder is the registry."""
