"""Train the model that finds mentions and ranks their antecedents."""
