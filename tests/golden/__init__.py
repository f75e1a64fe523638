"""Are the reports, to the byte, what they were?"""
