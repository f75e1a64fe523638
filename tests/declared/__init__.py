"""Is every number declared once? Each is moved, and the texts are searched for sentences that still say the old one."""
