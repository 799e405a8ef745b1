"""shiftproof: how much should we believe this classifier on data that nobody has labelled yet?"""
