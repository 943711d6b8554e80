// Package real is Redis as it really is: redis-server processes on the loopback interface, for package confirm.
package real
