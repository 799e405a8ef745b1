"""How many of each class are there, by the classes of the nearest labelled rows?"""
