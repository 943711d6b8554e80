// Package choices shows that runs of locks repeat that depend on choices of the Go runtime, as users write them.
package choices
