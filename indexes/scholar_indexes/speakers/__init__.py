"""Who says what in a novel: quotations, characters, and the speaker of each quotation."""
