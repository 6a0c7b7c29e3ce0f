/* The files of the page as they are in the source; make knows that they are in here. */
	.section .rodata
	.balign 4
	.globl page_template, page_template_size
	.hidden page_template, page_template_size
page_template_size:
	.long template_end - page_template
	.globl page_library, page_library_size
	.hidden page_library, page_library_size
page_library_size:
	.long library_end - page_library
	.globl page_licences, page_licences_size
	.hidden page_licences, page_licences_size
page_licences_size:
	.long licences_end - page_licences
page_template:
	.incbin "core/show/page/page.html"
template_end:
page_library:
	.incbin "core/show/page/markdown-it.min.js"
library_end:
page_licences:
	.incbin "core/show/page/markdown-it.LICENSE"
licences_end:
	.section .note.GNU-stack, "", %progbits
