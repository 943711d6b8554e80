// Package clouds lets a fleet keep its search in the buckets of clouds: s3://, gs:// and azblob://. A program that imports
// it compiles their clients; without it only directories are supported.
//
//	import _ "github.com/lockpick-dev/lockpick/fleet/clouds"
package clouds

import (
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
)
