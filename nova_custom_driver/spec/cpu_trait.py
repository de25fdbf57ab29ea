"""Which processor flag each of Nova's CPU traits stands for.

Traits are those of os-traits; flags are libvirt's names, see the files below
``/usr/share/libvirt/cpu_map``.
"""

PREFIX = "HW_CPU_X86_"

# Traits whose flag is not just the trait's name in small letters.
_NAMES = {
    "AESNI": "aes", "SSE3": "pni", "SSE41": "sse4.1", "SSE42": "sse4.2",
    "FMA3": "fma", "BMI": "bmi1", "CLMUL": "pclmuldq", "SHA": "sha-ni",
    "AMXBF16": "amx-bf16", "AMXINT8": "amx-int8", "AMXTILE": "amx-tile",
    "AVX512VNNI": "avx512vnni", "AVX512VBMI": "avx512vbmi",
    "AVX512VBMI2": "avx512vbmi2", "AVX512BITALG": "avx512bitalg",
    "AVX512VAES": "vaes", "AVX512GFNI": "gfni",
    "AVX512VPCLMULQDQ": "vpclmulqdq",
    "AVX512VPOPCNTDQ": "avx512-vpopcntdq", "AVX512IFMA": "avx512ifma",
    "INTEL_VMX": "vmx", "AMD_SVM": "svm",
}
_SAME = (
    "3DNOW", "ABM", "AVX", "AVX2", "AVX512F", "AVX512CD", "AVX512PF",
    "AVX512ER", "AVX512VL", "AVX512BW", "AVX512DQ", "BMI2", "F16C", "FMA4",
    "MMX", "MPX", "SSE", "SSE2", "SSE4A", "SSSE3", "SVM", "TBM", "VMX",
    "XOP")

FLAGS = {PREFIX + name: flag for name, flag in _NAMES.items()} | {
    PREFIX + name: name.lower() for name in _SAME}
