package sims3

import "strings"

// matches reports whether a list of ETags has one. Some clients leave out their quotes.
func matches(list, etag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.Trim(one, `"`) == strings.Trim(etag, `"`) {
			return true
		}
	}
	return false
}

// allowsPut looks at the conditions of a PUT, whose object is nil if there is none. It returns an error if they do not
// hold, and what of them the server does not support.
func allowsPut(r *request, o *object) (e *failed, why string) {
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	switch {
	case match != "" && none != "":
		return &notImplemented, "If-Match and If-None-Match in one " + putObject
	case match == "*" || strings.Contains(match, ","):
		return &notImplemented, "If-Match: " + match + " of " + putObject
	case none != "" && none != "*":
		return &notImplemented, "If-None-Match: " + none + " of " + putObject
	case none != "" && o != nil:
		return precondition.with("Condition", "If-None-Match"), ""
	case match != "" && o == nil:
		return noSuchKey.with("Key", r.key), ""
	case match != "" && !matches(match, o.etag):
		return precondition.with("Condition", "If-Match"), ""
	}
	return nil, ""
}

// allowsDelete looks at the condition of a DELETE. Without one, it does not matter whether there is an object.
func allowsDelete(r *request, o *object) *failed {
	switch match := r.Header.Get("If-Match"); {
	case match == "":
	case o == nil:
		return noSuchKey.with("Key", r.key)
	case !matches(match, o.etag):
		return precondition.with("Condition", "If-Match")
	}
	return nil
}

// allowsGet looks at the conditions of a GET or a HEAD, and reports whether the client has the object already.
func allowsGet(r *request, o *object) (e *failed, same bool) {
	if match := r.Header.Get("If-Match"); match != "" && !matches(match, o.etag) {
		return precondition.with("Condition", "If-Match"), false
	}
	none := r.Header.Get("If-None-Match")
	return nil, none != "" && matches(none, o.etag)
}
