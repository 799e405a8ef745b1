"""How many of each class are there, by a line that is fitted to the loss of the whole table?"""
