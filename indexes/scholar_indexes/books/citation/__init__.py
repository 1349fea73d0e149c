"""The parts of a citation: locators, names of people and chapters, and titles."""
