"""Train the retriever: mined quotations, pairs, towers."""
