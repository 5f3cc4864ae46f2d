"""Benchmarks for pytest-benchmark, and the scripts that write README's tables."""
