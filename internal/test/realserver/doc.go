// Package realserver is what the packages that start real servers have in common:
// realredis, realzk, realetcd and realmysql. Each of them has a [Kind], a command line and
// a question that only its server answers; the rest is here.
//
// A server runs on free ports of the loopback interface, with its files in a temporary
// directory, until the test is over that asked for it ([Start]), or until the program that asked for it stops
// it ([Launch]). For a test: where its program is missing, the test is
// skipped and says that it was not passed; where the variable CI is set it fails.
package realserver
