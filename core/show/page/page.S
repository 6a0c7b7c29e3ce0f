/* The page as it is in the source; make knows that it is in here. */
	.section .rodata
	.globl page_template, page_template_size
	.hidden page_template, page_template_size
	.balign 4
page_template_size:
	.long end - page_template
page_template:
	.incbin "core/show/page/page.html"
end:
	.section .note.GNU-stack, "", %progbits
