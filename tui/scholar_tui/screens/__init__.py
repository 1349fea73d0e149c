"""One screen per journey, and the small ones that ask something on the way."""
