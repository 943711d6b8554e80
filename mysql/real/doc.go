// Package real is MySQL as it is: a MariaDB on the loopback interface, on which package confirm makes counterexamples
// happen ([New]). It needs Debian's mariadb-server.
//
// Records are what other connections see: committed rows, the rows that transactions have locked (by the monitor of
// InnoDB), and the locks of GET_LOCK and LOCK TABLES (by the plugin metadata_lock_info). Replicas, and clocks of servers that jump, are not
// supported yet.
package real
