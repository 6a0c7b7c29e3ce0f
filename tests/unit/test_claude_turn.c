#include "core/dialects/claude/turn.h"

#include "tests/unit/test.h"

#define OLD "claude-sonnet-4-5-20250929"
#define NEW "claude-opus-5"
#define NOTED(text)                                                     \
	"{'attachment':{'type':'date_change'},'rendered':[{'content':'" \
	"<system-reminder>\\n" text "\\n</system-reminder>'}]}"
#define QUEUED_AS(more)                                                   \
	"{'attachment':{'type':'queued_command','hostsOwnTurn':true" more \
	"},'rendered':[{'content':'<system-reminder>\\nQ\\n</"            \
	"system-reminder>'"                                               \
	"}],'renderedRole':'system'}"

/*
 * Lines of a turn, and what Claude Code 2.1.332 sends of them to a model: the
 * content of the user's message, and of the one of the role system. ' stands
 * for ".
 */
static const struct {
	const char *model;
	const char *lines;
	const char *content;
	const char *system;
} rows[] = {
	{ OLD,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'text','text':'go'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'text','text':'<system-reminder>\\nN2\\n"
	  "</system-reminder>'},{'type':'text','text':'go'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'image','source':{'type':'b"
	  "ase64','media_type':'image/png','data':'aWlp'}},{'type':'t"
	  "ext','text':'go2'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'image','source':{'type':'base64','med"
	  "ia_type':'image/png','data':'aWlp'}},{'type':'text','text'"
	  ":'go2'}]",
	  "" },
	{ OLD,
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':'go'}}",
	  "[{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'text','text':'go'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':'more'}}",
	  "[{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'text','text':'go'},{'type':'text','te"
	  "xt':'more'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':' RES \\n'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>\\n\\n<syste"
	  "m-reminder>\\nN2\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':''}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'<syst"
	  "em-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'<syst"
	  "em-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'A "
	  "'},{'type':'text','text':'B '}]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'A '},{'type':'text','text':'B "
	  "\\n'},{'type':'text','text':'<system-reminder>\\nN1\\n</sy"
	  "stem-reminder>\\n'},{'type':'text','text':'<system-reminde"
	  "r>\\nN2\\n</system-reminder>'}]}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'A "
	  "'},{'type':'image','source':{'type':'base64','media_type':"
	  "'image/png','data':'aWlp'}}]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'A "
	  "'},{'type':'image','source':{'type':'base64','media_type':"
	  "'image/png','data':'aWlp'}},{'type':'text','text':'<system"
	  "-reminder>\\nN1\\n</system-reminder>'}]}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'<system-reminder>\\nN1\\n</system-remind"
	  "er>'}]}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'ERR'}],'is_error':"
	  "true}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'ERR\\n'},{'type':'text','text':'<system-"
	  "reminder>\\nN1\\n</system-reminder>'}],'is_error':true}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'tool_reference','tool_name':'Bas"
	  "h'}]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'tool_reference','tool_name':'Bash'}]},{'type':'text','"
	  "text':'<system-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'search_result','source':'s','tit"
	  "le':'t','content':[{'type':'text','text':'x'}]}]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'search_result','source':'s','title':'t','content':[{'t"
	  "ype':'text','text':'x'}]}]},{'type':'text','text':'<system"
	  "-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':'typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>'},{'type':'"
	  "text','text':'typed'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'message':{'content':'typed'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>'},{'type':'"
	  "text','text':'typed'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'R "
	  "t1'},{'type':'text','text':'beside'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R "
	  "t1'},{'type':'text','text':'beside'},{'type':'text','text'"
	  ":'<system-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'text','text':'beside'},{'t"
	  "ype':'tool_result','tool_use_id':'t1','content':'R "
	  "t1'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R "
	  "t1'},{'type':'text','text':'<system-reminder>\\nN1\\n</sys"
	  "tem-reminder>'},{'type':'text','text':'beside'}]",
	  "" },
	{ OLD,
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  ",{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'},{'type':'text','text':'<system-reminder>\\nN2\\n"
	  "</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'R1'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t2','content':'R2'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R1\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>'},{'type':'"
	  "tool_result','tool_use_id':'t2','content':'R2\\n\\n<system"
	  "-reminder>\\nN2\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'R "
	  "t1'},{'type':'tool_result','tool_use_id':'t2','content':'R"
	  " t2'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R "
	  "t1'},{'type':'tool_result','tool_use_id':'t2','content':'R"
	  " t2\\n\\n<system-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'  '}]}",
	  "[{'type':'text','text':'go'}]", "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'  '}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  "]",
	  "" },
	{ OLD,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':[{'type':'text','text':'b1'},{'type':'text','text':'b2'}"
	  "]}]}",
	  "[{'type':'text','text':'b1'},{'type':'text','text':'b2'},{"
	  "'type':'text','text':'go'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':[{'type':'text','text':'b1'},{'type':'text','text':'b2'}"
	  "]}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\nb1\\n\\nb2'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nA\\n</system-reminder>'},{'content'"
	  ":[{'type':'text','text':'<system-reminder>\\nB\\n</system-"
	  "reminder>'},{'type':'text','text':'x'}]}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nA\\n</system-reminder>\\n\\n<system"
	  "-reminder>\\nB\\n</system-reminder>\\n\\nx'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}],'rendere"
	  "dRole':'user'}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}],'rendere"
	  "dRole':'system'}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN3\\n</system-reminder>'}],'rendere"
	  "dRole':'user'}\n"
	  "{'message':{'content':'typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>\\n\\n<syste"
	  "m-reminder>\\nN2\\n</system-reminder>\\n\\n<system-reminde"
	  "r>\\nN3\\n</system-reminder>'},{'type':'text','text':'type"
	  "d'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'file'},'rendered':[{'content':'<sys"
	  "tem-reminder>\\nN1\\n</system-reminder>'}],'renderedRole':"
	  "'user'}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'file','filename':'/w/a.png','displa"
	  "yPath':'a.png','content':{'type':'image','file':{'base64':"
	  "'aWlp','type':'image/png','originalSize':3}}}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nCalled the Read tool with the "
	  "following input: "
	  "{\\'file_path\\':\\'/w/a.png\\'}\\n</system-reminder>'},{'"
	  "type':'image','source':{'type':'base64','data':'aWlp','med"
	  "ia_type':'image/png'}}]",
	  "" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'A'}]}]}}\n"
	  "{'attachment':{'type':'queued_command','prompt':[{'type':'"
	  "text','text':'typed'},{'type':'image','source':{'type':'ba"
	  "se64','media_type':'image/png','data':'aWlp'}}],'commandMo"
	  "de':'prompt'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN9\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'A'}]},{'type':'text','text':'<system-rem"
	  "inder>\\nThe user sent a new message while you were "
	  "working:\\ntyped\\n\\nThis is how Claude Code surfaces "
	  "messages the user sends mid-turn — within the running "
	  "turn, often alongside the next tool result, rather than "
	  "as a separate conversation turn. Address the message "
	  "above as you continue this "
	  "turn.\\n</system-reminder>'},{'type':'image','source':{'ty"
	  "pe':'base64','media_type':'image/png','data':'aWlp'}},{'ty"
	  "pe':'text','text':'<system-reminder>\\nN9\\n</system-remin"
	  "der>'}]",
	  "" },
	{ NEW,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'text','text':'go'}]", "'N1\\n\\nN2'" },
	{ NEW,
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':'go'}}",
	  "[{'type':'text','text':'go'}]", "'N1'" },
	{ NEW,
	  "{'message':{'content':'go'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':'more'}}",
	  "[{'type':'text','text':'go'},{'type':'text','text':'more'}"
	  "]",
	  "'N1'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':' RES \\n'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':' RES "
	  "\\n'}]",
	  "'N1\\n\\nN2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'A "
	  "'},{'type':'text','text':'B '}]}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'A '},{'type':'text','text':'B '}]}]",
	  "'N1\\n\\nN2'" },
	{ NEW,
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  "]",
	  "'N1\\n\\nN2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'R1'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}]}\n"
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t2','content':'R2'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R1'},"
	  "{'type':'tool_result','tool_use_id':'t2','content':'R2'}]",
	  "'N1\\n\\nN2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':[{'type':'text','text':'b1'},{'type':'text','text':'b2'}"
	  "]}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  "]",
	  "'b1\\nb2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nA\\n</system-reminder>'},{'content'"
	  ":[{'type':'text','text':'<system-reminder>\\nB\\n</system-"
	  "reminder>'},{'type':'text','text':'x'}]}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  "]",
	  "'A\\nB\\nx'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}],'rendere"
	  "dRole':'user'}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN2\\n</system-reminder>'}],'rendere"
	  "dRole':'system'}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN3\\n</system-reminder>'}],'rendere"
	  "dRole':'user'}\n"
	  "{'message':{'content':'typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>\\n\\n<syste"
	  "m-reminder>\\nN3\\n</system-reminder>'},{'type':'text','te"
	  "xt':'typed'}]",
	  "'N2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'file'},'rendered':[{'content':'<sys"
	  "tem-reminder>\\nN1\\n</system-reminder>'}],'renderedRole':"
	  "'user'}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES'}"
	  ",{'type':'text','text':'<system-reminder>\\nN1\\n</system-"
	  "reminder>'}]",
	  "" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN1\\n</system-reminder>'}],'rendere"
	  "dRole':'user'}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nN1\\n</system-reminder>'}]",
	  "" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':'RES'}]}}\n"
	  "{'attachment':{'type':'file','filename':'/w/a.png','displa"
	  "yPath':'a.png','content':{'type':'image','file':{'base64':"
	  "'aWlp','type':'image/png','originalSize':3}}}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'RES\\n"
	  "\\n<system-reminder>\\nCalled the Read tool with the "
	  "following input: "
	  "{\\'file_path\\':\\'/w/a.png\\'}\\n</system-reminder>'},{'"
	  "type':'image','source':{'type':'base64','data':'aWlp','med"
	  "ia_type':'image/png'}}]",
	  "" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'text','text':'A'}]}]}}\n"
	  "{'attachment':{'type':'queued_command','prompt':[{'type':'"
	  "text','text':'typed'},{'type':'image','source':{'type':'ba"
	  "se64','media_type':'image/png','data':'aWlp'}}],'commandMo"
	  "de':'prompt'}}\n"
	  "{'attachment':{'type':'date_change'},'rendered':[{'content"
	  "':'<system-reminder>\\nN9\\n</system-reminder>'}]}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'text','text':'A'}]},{'type':'text','text':'<system-rem"
	  "inder>\\nThe user sent a new message while you were "
	  "working:\\ntyped\\n\\nThis is how Claude Code surfaces "
	  "messages the user sends mid-turn — within the running "
	  "turn, often alongside the next tool result, rather than "
	  "as a separate conversation turn. Address the message "
	  "above as you continue this "
	  "turn.\\n</system-reminder>'},{'type':'image','source':{'ty"
	  "pe':'base64','media_type':'image/png','data':'aWlp'}}]",
	  "'N9'" },
	/* A result that takes no text, and a blank note before others. */
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t1','content':[{'type':'tool_reference'}]}]}}\n"
	  "{'attachment':{'type':'x'},'rendered':[{'content':' '},"
	  "{'content':'N1'},{'content':'N2'}]}\n"
	  "{'message':{'content':[{'type':'tool_result','tool_use_id'"
	  ":'t2','content':'R'}]}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':[{'typ"
	  "e':'tool_reference'}]},{'type':'tool_result','tool_use_id'"
	  ":'t2','content':'R'},{'type':'text','text':'N1'},{'type':'"
	  "text','text':'N2'}]",
	  "" },
	/* The user says nothing. */
	{ OLD, "{'attachment':{'type':'elapsed_time_reminder','text':'a'}}",
	  "[{'type':'text','text':'<system-reminder>\\na\\n"
	  "</system-reminder>'}]",
	  "" },
	{ NEW, "{'attachment':{'type':'elapsed_time_reminder','text':'a'}}",
	  "[{'type':'text','text':'<system-reminder>\\na\\n"
	  "</system-reminder>'}]",
	  "" },
	{ "claude-sonnet-5",
	  "{'attachment':{'type':'elapsed_time_reminder','text':'a'}}",
	  "[{'type':'text','text':'<system-reminder>\\na\\n"
	  "</system-reminder>'}]",
	  "" },
	{ "claude-sonnet-5",
	  "{'message':{'content':'u'}}\n"
	  "{'attachment':{'type':'elapsed_time_reminder','text':'a'}}\n"
	  "{'attachment':{'type':'elapsed_time_reminder','text':'b'}}",
	  "[{'type':'text','text':'u'}]",
	  "'<system-reminder>\\na\\n</system-reminder>\\n\\n"
	  "<system-reminder>\\nb\\n</system-reminder>'" },
	{ OLD, "{'attachment':{'type':'unknown'}}", "", "" },
	{ NEW, "{'attachment':{'type':'unknown'}}", "", "" },
	{ OLD, "", "", "" },
	/* What is queued for a turn of its own is the user's words. */
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id':'t1',"
	  "'content':'R'}]}}\n" NOTED("n1") "\n" QUEUED_AS("") "\n" NOTED(
		  "n2") "\n{'message':{'content':'typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R'},{'type':'"
	  "text',"
	  "'text':'Q'},{'type':'text','text':'typed'}]",
	  "'n1\\n\\nn2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id':'t1',"
	  "'content':'R'}]}}\n" NOTED("n1") "\n" QUEUED_AS(
		  ",'isMeta':true") "\n" NOTED("n2") "\n{'message':{'content':'"
						     "typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R'},{'type':'"
	  "text',"
	  "'text':'typed'}]",
	  "'n1\\n\\nQ\\n\\nn2'" },
	{ NEW,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id':'t1',"
	  "'content':'R'}]}}\n" NOTED("n1") "\n" QUEUED_AS(
		  ",'origin':null") "\n" NOTED("n2") "\n{'message':{'content':'"
						     "typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R'},{'type':'"
	  "text',"
	  "'text':'typed'}]",
	  "'n1\\n\\nQ\\n\\nn2'" },
	{ OLD,
	  "{'message':{'content':[{'type':'tool_result','tool_use_id':'t1',"
	  "'content':'R'}]}}\n" NOTED("n1") "\n" QUEUED_AS("") "\n" NOTED(
		  "n2") "\n{'message':{'content':'typed'}}",
	  "[{'type':'tool_result','tool_use_id':'t1','content':'R\\n\\n"
	  "<system-reminder>\\nn1\\n</system-reminder>\\n\\n<system-reminder>"
	  "\\nQ\\n</system-reminder>\\n\\n<system-reminder>\\nn2\\n</system-"
	  "reminder>'},{'type':'text','text':'typed'}]",
	  "" },
};

static void add_line(struct claude_turn *t, struct span text)
{
	struct claude_notes notes = { 0 };
	struct json line;
	struct json block;
	CHECK_INT(json_check(text, &line), 0);
	struct json content = json_get(json_get(line, "message"), "content");
	struct json_walk w = json_walk(content);
	if (json_type(json_get(line, "attachment")) == JSON_OBJECT) {
		CHECK_INT(claude_attachment(line, &notes), 0);
		claude_turn_notes(t, &notes);
		claude_notes_free(&notes);
		return;
	}
	claude_turn_line(t);
	if (json_type(content) == JSON_STRING)
		claude_turn_text(t, content);
	while (json_type(content) == JSON_ARRAY &&
	       json_next_element(&w, &block))
		claude_turn_block(t, block);
}

static void add_lines(struct claude_turn *t, struct span lines)
{
	while (lines.n > 0) {
		const char *end = memchr(lines.p, '\n', lines.n);
		size_t n = end ? (size_t)(end - lines.p) : lines.n;
		add_line(t, (struct span){ lines.p, n });
		n += end != NULL;
		lines = (struct span){ lines.p + n, lines.n - n };
	}
}

static void check_rows(void)
{
	struct claude_turn t = { 0 };
	struct buf content = { 0 };
	struct buf system = { 0 };
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf lines = test_quoted(rows[i].lines);
		struct buf want = test_quoted(rows[i].content);
		struct buf want_system = test_quoted(rows[i].system);
		test_row = rows[i].lines;
		t.takes = claude_takes_system(span_of(rows[i].model));
		buf_clear(&content);
		buf_clear(&system);
		add_lines(&t, buf_span(&lines));
		claude_turn_end(&t, &content, &system);
		CHECK_SPAN(buf_span(&content), buf_span(&want));
		CHECK_SPAN(buf_span(&system), buf_span(&want_system));
		buf_free(&lines);
		buf_free(&want);
		buf_free(&want_system);
	}
	test_row = NULL;
	claude_turn_free(&t);
	buf_free(&content);
	buf_free(&system);
}

static void check_models(void)
{
	static const char *const old[] = {
		"claude-3-5-sonnet-20241022",
		"claude-opus-4-20250514",
		"claude-sonnet-4-20250514",
		"claude-opus-4-0",
		"claude-opus-4-1-20250805",
		"claude-opus-4-5-20251101",
		"claude-opus-4-7",
		"claude-sonnet-4-6",
		"claude-haiku-4-5-20251001",
	};
	static const char *const new[] = {
		"claude-opus-4-8",   "claude-opus-5", "claude-haiku-5-5",
		"claude-sonnet-5-5", "gpt",	      ""
	};
	for (size_t i = 0; i < COUNT(old); i++) {
		test_row = old[i];
		CHECK_INT(claude_takes_system(span_of(old[i])),
			  CLAUDE_TAKES_NONE);
	}
	for (size_t i = 0; i < COUNT(new); i++) {
		test_row = new[i];
		CHECK_INT(claude_takes_system(span_of(new[i])),
			  CLAUDE_TAKES_PLAIN);
	}
	test_row = NULL;
	CHECK_INT(claude_takes_system(SPAN("claude-sonnet-5")),
		  CLAUDE_TAKES_TAGGED);
}

/* Many notes after a large result are a moment's work. */
static void check_cost(const char *before, const char *after)
{
	struct claude_turn t = { 0 };
	struct buf content = { 0 };
	struct buf system = { 0 };
	struct buf line = test_quoted(before);
	struct buf end = test_quoted(after);
	const struct buf note = test_quoted(
		"{'attachment':{'type':'elapsed_time_reminder','text':'a'}}");
	buf_fill(&line, 'x', 1000000);
	buf_add(&line, buf_span(&end));
	add_line(&t, buf_span(&line));
	for (int i = 0; i < 10000; i++)
		add_line(&t, buf_span(&note));
	claude_turn_end(&t, &content, &system);
	CHECK(content.len > 1300000);
	claude_turn_free(&t);
	buf_free(&content);
	buf_free(&line);
	buf_free(&end);
	free(note.data);
}

int main(void)
{
	check_rows();
	check_models();
	check_cost("{'message':{'content':[{'type':'tool_result','content':'",
		   "'}]}}");
	check_cost("{'message':{'content':[{'type':'tool_result','content':["
		   "{'type':'text','text':'",
		   "'}]}]}}");
	return test_done("claude_turn");
}
