"""Discord as a platform: digests as Components V2, posted once, over discord.py."""
