//go:build !unix

package explore

// peers returns the addresses that sockets of this process are connected to: none,
// since this system does not show them.
func peers() []string { return nil }
