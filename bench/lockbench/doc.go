// Command lockbench measures how soon bugs of locks are found: by Lockpick, and by stress tests on real servers behind fault
// proxies, as people do it today.
//
//	lockbench run [-quick] [-o results.json] [-bugs ...] [-arms ...]   make all tries that the file lacks
//	lockbench page [-i results.json]                                   write docs/lockbench.md and its pictures
//	lockbench list                                                     list the bugs and the arms
//	lockbench try -bug B -arm A                                        make one try
//
// Packages: trial has what a bug and an arm are; bugs and arms have them, a file each; package real/stress has the stress on real
// servers. Bugs of two versions of a library are programs of their own, in versions.
//
// It runs on Linux, with the servers of Debian: redis-server, etcd-server, zookeeper, mariadb-server and postgresql.
package main
