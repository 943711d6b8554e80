// Package recipe is shared by the locks over S3, the sound ones and the flawed ones: requests about one object, with
// time-outs, and what their errors mean.
package recipe
