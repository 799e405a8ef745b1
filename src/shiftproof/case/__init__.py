"""What is the question? Models, labelled data and new data, and everything that several verbs need of them, once."""
