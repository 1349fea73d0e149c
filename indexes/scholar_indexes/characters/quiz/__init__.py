"""Quizzes on character descriptions: questions, rounds, history, exchange formats."""
