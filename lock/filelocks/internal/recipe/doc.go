// Package recipe has what the locks by files are made of, the sound ones and the flawed ones: pauses
// between two tries, and what is done when nobody waits for it any more.
package recipe
