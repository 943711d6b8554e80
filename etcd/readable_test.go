//go:build !unreadable

package etcd

const readsRuntime = true
