"""One file per journey: parse, call one method of the library, render."""
