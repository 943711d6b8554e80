package simzk

import "slices"

// acl grants somebody permissions on a znode.
type acl struct {
	perms      int32
	scheme, id string
}

// Permissions. A znode's own are asked for reads, writes and changes of its ACL,
// its parent's for its creation and deletion.
const (
	permRead   int32 = 1
	permWrite  int32 = 2
	permCreate int32 = 4
	permDelete int32 = 8
	permAdmin  int32 = 16
	permAll          = permRead | permWrite | permCreate | permDelete | permAdmin
)

// world grants everybody permissions.
func world(perms int32) []acl { return []acl{{perms, "world", "anyone"}} }

// accepted returns the list as a znode keeps it, each entry once. Only a list
// whose entries are all for world:anyone is accepted, since nobody can
// authenticate here.
func accepted(list []acl) (kept []acl, ok bool) {
	for _, a := range list {
		if a.scheme != "world" || a.id != "anyone" {
			return nil, false
		}
		if !slices.Contains(kept, a) {
			kept = append(kept, a)
		}
	}
	return kept, len(kept) > 0
}

// allows reports whether an entry of the list grants one of the permissions.
func allows(list []acl, perms int32) bool {
	return slices.ContainsFunc(list, func(a acl) bool { return a.perms&perms != 0 })
}
