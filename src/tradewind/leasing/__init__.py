"""The only code that makes or ends what costs money: from intent to released, whatever happens in between."""
