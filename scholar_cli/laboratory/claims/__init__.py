"""Short claims: data, benchmarks, and training of the models that rank passages for them."""
