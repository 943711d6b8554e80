package types

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
)

// lackingFunctions are functions of PostgreSQL 15 that a user may call and that are not here. The executor has some.
var lackingFunctions = strings.Fields(`
	abbrev acos acosd acosh age any_value area array_agg array_dims array_fill array_shuffle array_to_json array_to_tsvector
	asin asind asinh atan atan2 atan2d atand atanh avg bit_and bit_count bit_or bit_xor bool_and bool_or bound_box box
	broadcast brin_summarize_new_values cbrt center circle clock_timestamp col_description convert corr cos cosd cosh cot
	cotd count covar_pop covar_samp cume_dist current_database current_query current_schemas current_setting currval
	cursor_to_xml daterange date_bin degrees dense_rank diagonal diameter enum_first enum_last enum_range every exp
	factorial family first_value format_type gcd gen_random_uuid generate_series generate_subscripts get_current_ts_config
	getdatabaseencoding grouping has_column_privilege has_database_privilege has_function_privilege has_schema_privilege
	has_sequence_privilege has_table_privilege hash_array hash_numeric hash_record hashbpchar hashchar hashenum hashfloat4
	hashfloat8 hashint2 hashint4 hashint8 hashname hashoid height host inet_client_addr inet_client_port inet_server_addr
	inet_server_port initcap int4range int8range isclosed isempty isopen json_agg json_array_elements
	json_array_elements_text json_each json_each_text json_object json_object_agg json_object_keys json_populate_record
	json_populate_recordset json_strip_nulls json_to_record json_to_recordset jsonb_agg jsonb_array_elements
	jsonb_array_elements_text jsonb_each jsonb_each_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys
	jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first jsonb_populate_record
	jsonb_populate_recordset jsonb_pretty jsonb_set_lax jsonb_to_record jsonb_to_recordset lag last_value lastval lcm lead ln
	log log10 make_time make_timestamp make_timestamptz max min min_scale mode multirange netmask network nextval normalize
	now nth_value ntile numrange obj_description overlay parse_ident path percent_rank percentile_cont percentile_disc
	pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all pg_advisory_unlock_shared
	pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_backend_pid pg_blocking_pids pg_cancel_backend pg_client_encoding
	pg_column_size pg_conf_load_time pg_current_snapshot pg_current_wal_flush_lsn pg_current_wal_insert_lsn
	pg_current_wal_lsn pg_current_xact_id pg_current_xact_id_if_assigned pg_database_size pg_export_snapshot
	pg_function_is_visible pg_get_constraintdef pg_get_expr pg_get_function_arguments pg_get_functiondef pg_get_indexdef
	pg_get_keywords pg_get_serial_sequence pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_indexes_size
	pg_is_in_recovery pg_is_wal_replay_paused pg_isolation_test_session_is_blocked pg_last_wal_receive_lsn
	pg_last_wal_replay_lsn pg_last_xact_replay_timestamp pg_listening_channels pg_lock_status pg_my_temp_schema
	pg_notification_queue_usage pg_notify pg_postmaster_start_time pg_promote pg_relation_filenode pg_relation_size
	pg_reload_conf pg_safe_snapshot_blocking_pids pg_size_bytes pg_size_pretty pg_sleep pg_sleep_for pg_sleep_until
	pg_snapshot_xip pg_snapshot_xmax pg_snapshot_xmin pg_stat_get_activity pg_stat_reset pg_switch_wal pg_table_is_visible
	pg_table_size pg_terminate_backend pg_total_relation_size pg_trigger_depth pg_try_advisory_lock
	pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared pg_type_is_visible
	pg_visible_in_snapshot pg_wal_lsn_diff pg_wal_replay_pause pg_wal_replay_resume pg_xact_commit_timestamp pg_xact_status
	phraseto_tsquery pi plainto_tsquery point polygon query_to_xml querytree radians random random_normal rank regexp_count
	regexp_instr regexp_like regexp_matches regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy
	row_number row_to_json scale set_bit set_byte set_config setseed setval setweight sha224 sha384 sha512 shobj_description
	sin sind sinh statement_timestamp stddev stddev_pop stddev_samp string_agg string_to_table strip sum tan tand tanh
	timeofday to_ascii to_char to_date to_number to_regclass to_regnamespace to_regproc to_regtype to_tsquery to_tsvector
	transaction_timestamp trim_scale ts_rank tsrange tstzrange txid_current txid_current_if_assigned txid_current_snapshot
	txid_status unistr unnest var_pop var_samp variance version websearch_to_tsquery width width_bucket xmlagg xmlcomment
	xpath`)

func isLacking(name string) bool { return slices.Contains(lackingFunctions, name) }

// lackingTypes are types of PostgreSQL 15 that are not here.
var lackingTypes = strings.Fields(`
	aclitem box cidr circle cstring daterange datemultirange gtsvector inet int2vector int4range int4multirange int8range
	int8multirange internal jsonpath line lseg macaddr macaddr8 money numrange nummultirange oidvector path pg_lsn
	pg_snapshot point polygon refcursor regcollation regconfig regdictionary regoper regoperator regprocedure regrole tid
	timetz trigger tsquery tsrange tsmultirange tstzrange tstzmultirange tsvector txid_snapshot xml cid`)

// UnknownType returns the error about the name of a type that Lookup does not find: a refusal if PostgreSQL has it, and
// else 42704.
func UnknownType(name string) error {
	if slices.Contains(lackingTypes, strings.TrimPrefix(name, "_")) {
		return pgerror.Lacks("the type %s", name)
	}
	return pgerror.New(pgerror.UndefinedObject, "type \"%s\" does not exist", name)
}

// quotedWords are the keywords that quote_ident quotes: all but the unreserved ones.
var quotedWords = strings.Fields(`all analyse analyze and any array as asc asymmetric both case cast check collate column
	constraint create current_catalog current_date current_role current_time current_timestamp current_user default
	deferrable desc distinct do else end except false fetch for foreign from grant group having in initially intersect into
	lateral leading limit localtime localtimestamp not null offset on only or order placing primary references returning
	select session_user some symmetric table then to trailing true union unique user using variadic when where window with
	authorization binary collation concurrently cross current_schema freeze full ilike inner is isnull join left like
	natural notnull outer overlaps right similar tablesample verbose between bigint bit boolean char character coalesce dec
	decimal exists extract float greatest grouping inout int integer interval least national nchar none normalize nullif
	numeric out overlay position precision real row setof smallint substring time timestamp treat trim values varchar
	xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`)

// formatG writes a float as C's %g does.
func formatG(f float64) string { return fmt.Sprintf("%g", f) }
