"""The benchmarks and training of the product's models; the product never imports it."""
