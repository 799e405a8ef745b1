"""How do two tables differ that are in an engine? The same records as of arrays, made where the rows are.

Rows stay in the engine: ranges of values are joined and measured there, and only counts and sums come back.
"""
