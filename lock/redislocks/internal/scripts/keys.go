package scripts

import "strings"

// Beside returns the name of another key, or channel, of the lock of the given
// name, on the same node of a cluster: the name, or what it has in braces,
// decides which that is. (Of a name with braces that hold nothing there is none.)
func Beside(name, what string) string {
	if open := strings.IndexByte(name, '{'); open >= 0 && strings.IndexByte(name[open:], '}') > 1 {
		return name + ":" + what
	}
	return "{" + name + "}:" + what
}
