"""Local servers that speak the parts of other services that Paperround uses."""
