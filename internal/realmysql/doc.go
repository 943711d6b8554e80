// Package realmysql starts a MariaDB of Debian's packages: on the loopback interface, with its files in a directory
// that the caller gives, and without passwords.
package realmysql
