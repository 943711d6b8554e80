// Package text shows traces as text, for terminals and logs.
package text
