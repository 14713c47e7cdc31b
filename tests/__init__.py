"""The tests of Paperround, in folders that mirror its packages."""
