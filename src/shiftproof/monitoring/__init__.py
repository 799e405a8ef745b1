"""Have the new data changed since the model was validated, does it matter, and since when?

A `Baseline` is what a monitor remembers of the reference; a `Monitor` compares every batch with it and keeps a record.
"""
