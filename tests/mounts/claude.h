/*
 * Lines of Claude Code, for tests of its sessions. An entry is named by a
 * digit, which is the last one of its uuid and of its second; `parent` is JSON:
 * null, or BELOW(digit).
 */
#ifndef SESSFS_MOUNTS_CLAUDE_H
#define SESSFS_MOUNTS_CLAUDE_H

#define UUID(n) "c1a0de00-0000-4000-8000-00000000000" n
#define CLAUDE(n, parent, type, message)                                      \
	"{'parentUuid':" parent ",'isSidechain':false,"                       \
	"'userType':'external','cwd':'/work/demo',"                           \
	"'sessionId':'5e55f500-0000-4000-8000-000000000001',"                 \
	"'version':'2.1.330','gitBranch':'main','type':'" type                \
	"','message':{" message "},'uuid':'" UUID(n) "','timestamp':'2026-03" \
						     "-01T10:00:0" n          \
						     ".000Z'}\n"
#define CLAUDE_USER(n, parent, text) \
	CLAUDE(n, parent, "user", "'role':'user','content':'" text "'")
#define CLAUDE_ANSWER(n, parent, text)                                       \
	CLAUDE(n, parent, "assistant",                                       \
	       "'id':'msg_" n "','type':'message','role':'assistant',"       \
	       "'model':'m-x','content':[{'type':'text','text':'" text "'}]" \
	       ",'stop_reason':null,'usage':{'input_tokens':1,"              \
	       "'output_tokens':1}")
#define BELOW(n) "'" UUID(n) "'"

#endif
