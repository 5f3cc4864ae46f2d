"""Benchmarks: pytest-benchmark files, one a stage, and the scripts that write README's tables."""
