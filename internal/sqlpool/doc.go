// Package sqlpool has the pools of database/sql that stores give to client processes, for drivers of any
// store. A pool of a limited number of connections ([stage.PoolSize]) serves waiters in the order of their
// arrival, so that runs repeat.
package sqlpool
