"""Is the model still to be believed, batch after batch?

A baseline holds what is known of the reference; a monitor adds batches to a store and raises alarms.
"""
