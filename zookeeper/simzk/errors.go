package simzk

import "strconv"

// code is one of ZooKeeper's error codes, as in the header of a reply.
type code int32

const (
	codeOK                      code = 0
	codeSystemError             code = -1
	codeRuntimeInconsistency    code = -2
	codeMarshallingError        code = -5
	codeUnimplemented           code = -6
	codeBadArguments            code = -8
	codeNoNode                  code = -101
	codeNoAuth                  code = -102
	codeBadVersion              code = -103
	codeNoChildrenForEphemerals code = -108
	codeNodeExists              code = -110
	codeNotEmpty                code = -111
	codeSessionExpired          code = -112
	codeInvalidACL              code = -114
	codeAuthFailed              code = -115
	codeSessionMoved            code = -118
)

// codeNames has the names of ZooKeeper's documentation.
var codeNames = map[code]string{
	codeOK:                      "OK",
	codeSystemError:             "SystemError",
	codeRuntimeInconsistency:    "RuntimeInconsistency",
	codeMarshallingError:        "MarshallingError",
	codeUnimplemented:           "Unimplemented",
	codeBadArguments:            "BadArguments",
	codeNoNode:                  "NoNode",
	codeNoAuth:                  "NoAuth",
	codeBadVersion:              "BadVersion",
	codeNoChildrenForEphemerals: "NoChildrenForEphemerals",
	codeNodeExists:              "NodeExists",
	codeNotEmpty:                "NotEmpty",
	codeSessionExpired:          "SessionExpired",
	codeInvalidACL:              "InvalidACL",
	codeAuthFailed:              "AuthFailed",
	codeSessionMoved:            "SessionMoved",
}

func (c code) String() string {
	if name, ok := codeNames[c]; ok {
		return name
	}
	return "code " + strconv.Itoa(int(c))
}
