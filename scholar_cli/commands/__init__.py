"""One module for each command: parse the options, call one method of the library, print."""
