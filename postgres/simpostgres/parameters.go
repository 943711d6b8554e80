package simpostgres

import (
	"math"
	"strings"
)

// settingKind is the kind of a parameter's values.
type settingKind uint8

const (
	textSetting settingKind = iota
	listSetting             // of names
	boolSetting
	intSetting
	enumSetting
)

// parameter is a parameter of sessions or of the server.
type parameter struct {
	name     string
	kind     settingKind
	initial  string
	unit     string // of a number: "ms", "s", "kB"
	min, max int64
	values   []string // of an enumeration
	// context is empty for parameters that sessions may set.
	context string
	// only are the values that the simulation has, all if it is empty. Others are refused.
	only []string
}

// parameters are those that the server has, ordered by name. Those without an effect on what clients see are kept.
var parameters = []*parameter{
	{name: "application_name"},
	{name: "array_nulls", kind: boolSetting, initial: "on", only: []string{"on"}},
	{name: "bytea_output", kind: enumSetting, initial: "hex", values: []string{"escape", "hex"}, only: []string{"hex"}},
	{name: "check_function_bodies", kind: boolSetting, initial: "on"},
	milliseconds("client_connection_check_interval", "0", 0, "0"),
	{name: "client_encoding", initial: "UTF8"},
	{name: "client_min_messages", kind: enumSetting, initial: "notice", values: strings.Fields("debug5 debug4 debug3 debug2 debug1 log notice warning error")},
	{name: "DateStyle", initial: "ISO, MDY"},
	milliseconds("deadlock_timeout", "1000", 1),
	{name: "default_transaction_deferrable", kind: boolSetting, initial: "off"},
	{name: "default_transaction_isolation", kind: enumSetting, initial: "read committed", values: isolations},
	{name: "default_transaction_read_only", kind: boolSetting, initial: "off"},
	{name: "escape_string_warning", kind: boolSetting, initial: "on"},
	{name: "extra_float_digits", kind: intSetting, initial: "1", min: -15, max: 3, only: []string{"1", "2", "3"}},
	{name: "geqo", kind: boolSetting, initial: "on"},
	{name: "hot_standby", kind: boolSetting, initial: "on", context: "postmaster"},
	milliseconds("idle_in_transaction_session_timeout", "0", 0),
	milliseconds("idle_session_timeout", "0", 0),
	{name: "in_hot_standby", kind: boolSetting, initial: "off", context: "internal"},
	{name: "integer_datetimes", kind: boolSetting, initial: "on", context: "internal"},
	{name: "IntervalStyle", kind: enumSetting, initial: "postgres", values: []string{"postgres", "postgres_verbose", "sql_standard", "iso_8601"}, only: []string{"postgres"}},
	{name: "is_superuser", kind: boolSetting, initial: "on", context: "internal"},
	{name: "jit", kind: boolSetting, initial: "on"},
	milliseconds("lock_timeout", "0", 0),
	{name: "maintenance_work_mem", kind: intSetting, initial: "65536", unit: "kB", min: 1024, max: math.MaxInt32},
	{name: "max_connections", kind: intSetting, initial: "100", min: 1, max: 262143, context: "postmaster"},
	{name: "max_identifier_length", kind: intSetting, initial: "63", min: 63, max: 63, context: "internal"},
	{name: "max_parallel_workers_per_gather", kind: intSetting, initial: "2", max: 1024},
	{name: "plan_cache_mode", kind: enumSetting, initial: "auto", values: []string{"auto", "force_generic_plan", "force_custom_plan"}},
	{name: "row_security", kind: boolSetting, initial: "on"},
	{name: "search_path", kind: listSetting, initial: `"$user", public`},
	{name: "server_encoding", initial: "UTF8", context: "internal"},
	{name: "server_version", initial: serverVersion, context: "internal"},
	{name: "server_version_num", kind: intSetting, initial: "150018", context: "internal"},
	{name: "session_authorization", initial: RoleName, context: "internal"},
	{name: "session_replication_role", kind: enumSetting, initial: "origin", values: []string{"origin", "replica", "local"}, only: []string{"origin"}},
	{name: "standard_conforming_strings", kind: boolSetting, initial: "on", only: []string{"on"}},
	milliseconds("statement_timeout", "0", 0),
	{name: "synchronous_commit", kind: enumSetting, initial: "on", values: []string{"local", "remote_write", "remote_apply", "on", "off"}},
	{name: "synchronous_standby_names", context: "sighup"},
	milliseconds("tcp_user_timeout", "0", 0),
	{name: "TimeZone", initial: "Etc/UTC"},
	{name: "track_activities", kind: boolSetting, initial: "on", only: []string{"on"}},
	{name: "transaction_deferrable", kind: boolSetting},
	{name: "transaction_isolation", kind: enumSetting, values: isolations},
	{name: "transaction_read_only", kind: boolSetting},
	{name: "transform_null_equals", kind: boolSetting, initial: "off", only: []string{"off"}},
	{name: "wal_level", kind: enumSetting, initial: "replica", context: "postmaster"},
	{name: "wal_writer_delay", kind: intSetting, initial: "200", unit: "ms", context: "sighup"},
	{name: "work_mem", kind: intSetting, initial: "4096", unit: "kB", min: 64, max: math.MaxInt32},
}

// isolations are the isolation levels, in the order in which errors list them.
var isolations = []string{"serializable", "repeatable read", "read committed", "read uncommitted"}

// milliseconds is a parameter that is a time.
func milliseconds(name, initial string, least int64, only ...string) *parameter {
	return &parameter{name: name, kind: intSetting, initial: initial, unit: "ms", min: least, max: math.MaxInt32, only: only}
}

// reported are the parameters whose values clients get to know, in the order in which they are sent.
var reported = []string{
	"application_name", "client_encoding", "DateStyle", "default_transaction_read_only", "in_hot_standby", "integer_datetimes",
	"IntervalStyle", "is_superuser", "server_encoding", "server_version", "session_authorization", "standard_conforming_strings", "TimeZone",
}

// byName are the parameters by their names in small letters.
var byName = func() map[string]*parameter {
	m := map[string]*parameter{}
	for _, p := range parameters {
		m[strings.ToLower(p.name)] = p
	}
	return m
}()

// settingOf returns the parameter of a name, or nil.
func settingOf(name string) *parameter { return byName[strings.ToLower(name)] }

// otherSettings are the parameters that PostgreSQL 15 has and the simulation does not.
var otherSettings = strings.Fields(`
	allow_in_place_tablespaces allow_system_table_mods archive_cleanup_command archive_command archive_library archive_mode
	archive_timeout authentication_timeout autovacuum autovacuum_analyze_scale_factor autovacuum_analyze_threshold
	autovacuum_freeze_max_age autovacuum_max_workers autovacuum_multixact_freeze_max_age autovacuum_naptime
	autovacuum_vacuum_cost_delay autovacuum_vacuum_cost_limit autovacuum_vacuum_insert_scale_factor
	autovacuum_vacuum_insert_threshold autovacuum_vacuum_scale_factor autovacuum_vacuum_threshold autovacuum_work_mem
	backend_flush_after backslash_quote backtrace_functions bgwriter_delay bgwriter_flush_after bgwriter_lru_maxpages
	bgwriter_lru_multiplier block_size bonjour bonjour_name checkpoint_completion_target checkpoint_flush_after checkpoint_timeout
	checkpoint_warning cluster_name commit_delay commit_siblings compute_query_id config_file constraint_exclusion
	cpu_index_tuple_cost cpu_operator_cost cpu_tuple_cost cursor_tuple_fraction data_checksums data_directory data_directory_mode
	data_sync_retry db_user_namespace debug_assertions debug_discard_caches debug_pretty_print debug_print_parse debug_print_plan
	debug_print_rewritten default_statistics_target default_table_access_method default_tablespace default_text_search_config
	default_toast_compression dynamic_library_path dynamic_shared_memory_type effective_cache_size effective_io_concurrency
	enable_async_append enable_bitmapscan enable_gathermerge enable_hashagg enable_hashjoin enable_incremental_sort
	enable_indexonlyscan enable_indexscan enable_material enable_memoize enable_mergejoin enable_nestloop enable_parallel_append
	enable_parallel_hash enable_partition_pruning enable_partitionwise_aggregate enable_partitionwise_join enable_seqscan
	enable_sort enable_tidscan event_source exit_on_error extension_destdir external_pid_file force_parallel_mode
	from_collapse_limit fsync full_page_writes geqo_effort geqo_generations geqo_pool_size geqo_seed geqo_selection_bias
	geqo_threshold gin_fuzzy_search_limit gin_pending_list_limit hash_mem_multiplier hba_file hot_standby_feedback huge_page_size
	huge_pages ident_file ignore_checksum_failure ignore_invalid_pages ignore_system_indexes jit_above_cost jit_debugging_support
	jit_dump_bitcode jit_expressions jit_inline_above_cost jit_optimize_above_cost jit_profiling_support jit_provider
	jit_tuple_deforming join_collapse_limit krb_caseins_users krb_server_keyfile lc_collate lc_ctype lc_messages lc_monetary
	lc_numeric lc_time listen_addresses lo_compat_privileges local_preload_libraries log_autovacuum_min_duration log_checkpoints
	log_connections log_destination log_directory log_disconnections log_duration log_error_verbosity log_executor_stats
	log_file_mode log_filename log_hostname log_line_prefix log_lock_waits log_min_duration_sample log_min_duration_statement
	log_min_error_statement log_min_messages log_parameter_max_length log_parameter_max_length_on_error log_parser_stats
	log_planner_stats log_recovery_conflict_waits log_replication_commands log_rotation_age log_rotation_size
	log_startup_progress_interval log_statement log_statement_sample_rate log_statement_stats log_temp_files log_timezone
	log_transaction_sample_rate log_truncate_on_rotation logging_collector logical_decoding_work_mem maintenance_io_concurrency
	max_files_per_process max_function_args max_index_keys max_locks_per_transaction max_logical_replication_workers
	max_parallel_maintenance_workers max_parallel_workers max_pred_locks_per_page max_pred_locks_per_relation
	max_pred_locks_per_transaction max_prepared_transactions max_replication_slots max_slot_wal_keep_size max_stack_depth
	max_standby_archive_delay max_standby_streaming_delay max_sync_workers_per_subscription max_wal_senders max_wal_size
	max_worker_processes min_dynamic_shared_memory min_parallel_index_scan_size min_parallel_table_scan_size min_wal_size
	old_snapshot_threshold parallel_leader_participation parallel_setup_cost parallel_tuple_cost password_encryption port
	post_auth_delay pre_auth_delay primary_conninfo primary_slot_name promote_trigger_file quote_all_identifiers random_page_cost
	recovery_end_command recovery_init_sync_method recovery_min_apply_delay recovery_prefetch recovery_target
	recovery_target_action recovery_target_inclusive recovery_target_lsn recovery_target_name recovery_target_time
	recovery_target_timeline recovery_target_xid recursive_worktable_factor remove_temp_files_after_crash restart_after_crash
	restore_command restrict_nonsystem_relation_kind role seed segment_size seq_page_cost session_preload_libraries shared_buffers
	shared_memory_size shared_memory_size_in_huge_pages shared_memory_type shared_preload_libraries ssl ssl_ca_file ssl_cert_file
	ssl_ciphers ssl_crl_dir ssl_crl_file ssl_dh_params_file ssl_ecdh_curve ssl_key_file ssl_library ssl_max_protocol_version
	ssl_min_protocol_version ssl_passphrase_command ssl_passphrase_command_supports_reload ssl_prefer_server_ciphers
	stats_fetch_consistency superuser_reserved_connections synchronize_seqscans syslog_facility syslog_ident
	syslog_sequence_numbers syslog_split_messages tcp_keepalives_count tcp_keepalives_idle tcp_keepalives_interval temp_buffers
	temp_file_limit temp_tablespaces timezone_abbreviations trace_notify trace_recovery_messages trace_sort
	track_activity_query_size track_commit_timestamp track_counts track_functions track_io_timing track_wal_io_timing
	unix_socket_directories unix_socket_group unix_socket_permissions update_process_title vacuum_cost_delay vacuum_cost_limit
	vacuum_cost_page_dirty vacuum_cost_page_hit vacuum_cost_page_miss vacuum_defer_cleanup_age vacuum_failsafe_age
	vacuum_freeze_min_age vacuum_freeze_table_age vacuum_multixact_failsafe_age vacuum_multixact_freeze_min_age
	vacuum_multixact_freeze_table_age wal_block_size wal_buffers wal_compression wal_consistency_checking wal_decode_buffer_size
	wal_init_zero wal_keep_size wal_log_hints wal_receiver_create_temp_slot wal_receiver_status_interval wal_receiver_timeout
	wal_recycle wal_retrieve_retry_interval wal_segment_size wal_sender_timeout wal_skip_threshold wal_sync_method
	wal_writer_flush_after xmlbinary xmloption zero_damaged_pages`)
