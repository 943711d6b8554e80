// Package realserver is what the packages that start real servers have in common:
// realredis, realzk, realetcd and realmysql. Each of them has a [Kind], a command line and
// a question that only its server answers; the rest is here.
//
// A server runs on free ports of the loopback interface, with its files in a temporary directory. One that a
// test starts ([Start]) runs until the test is over; one that a program starts ([Launch]) runs until the
// program stops it. Where the server's program is missing, a test is skipped and says that it was skipped and
// not passed; where the variable CI is set it fails.
package realserver
