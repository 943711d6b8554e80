// Package recipe is shared by the locks by files, the sound ones and the flawed ones: it has owned
// files, pauses between two tries, and clean-ups in the background.
package recipe
