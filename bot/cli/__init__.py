"""The command line, one module per group of commands; each is loaded only when it is used."""
