"""Characters: profiles, descriptions, quizzes, and search by description."""
