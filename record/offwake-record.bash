# SPDX-License-Identifier: Apache-2.0
# bash completion of offwake-record

_offwake_record()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i
	local options='-p --pid= -t --tid= -u --user-threads-only -k --kernel-threads-only
		-m --min-block-time= -M --max-block-time= --state=
		-U --user-stacks-only -K --kernel-stacks-only --stack-storage-size= --max-memory=
		-o --output= --slice= -q --quiet -v --verbose --check --ebpf -h --help
		-V --version'

	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			if ((COMP_CWORD == i + 1)); then
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			else
				mapfile -t COMPREPLY < <(compgen -f -- "$cur")
			fi
			return
		fi
	done
	# readline breaks words at "="
	[[ $cur == = ]] && cur=
	[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}
	case $prev in
	-o | --output)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	-p | --pid | -t | --tid)
		mapfile -t COMPREPLY < <(cd /proc && compgen -G '[0-9]*' | grep "^$cur")
		;;
	--state)
		mapfile -t COMPREPLY < <(compgen -W '0 1 2 3' -- "$cur")
		;;
	-m | --min-block-time | -M | --max-block-time | --stack-storage-size | --max-memory | --slice) ;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
		;;
	esac
}

complete -F _offwake_record offwake-record
