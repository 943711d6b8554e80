// Package realserver is shared by the packages that start real servers: realredis, realzk, realetcd, realmysql and
// realpostgres. Each of them has a [Kind], a command line and a question that only its server answers; the rest is here.
//
// A server runs on free ports of the loopback interface, with its files in a temporary directory. One that a test starts
// ([Start]) runs until the test is over; one that a program starts ([Launch]) runs until the program stops it. If the
// server is not installed, a test is skipped, with a message that it has not passed; if the variable CI is set it fails.
package realserver
