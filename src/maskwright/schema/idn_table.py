"""The characters of internationalized host names, and how long labels of them may get: packed tables of Unicode 17.

The characters are those that RFC 5892 section 3 calls PVALID, CONTEXTJ or CONTEXTO, as the package `idna` lists them,
less the marks that compose letters of Latin, Greek and Cyrillic (see :mod:`maskwright.schema.idn_grammar`).
"""

from __future__ import annotations

import zlib
from base64 import b85decode
from functools import cache
from typing import Final, NamedTuple

from maskwright.regex.properties import read_numbers

__all__ = ["Character", "Characters", "Window", "characters", "compositions", "windows"]


#: What a character outside ASCII is: Bidi class (``L``, ``R`` with AL, ``A`` for AN, ``E`` for EN, ``M`` for NSM, ``N``
#: for others), Joining_Type, ``M`` if it is a mark; its combining class; its script, if a rule asks for it; the set of
#: marks that it composes with; its number among these marks; the contextual rule that it has; its window.
_CLASSES: Final = """
    NU:::::b:18 LU::::::18 LU::::::23 LU::::::25 NU::::::25 MTM:230:::::25 MTM:232:::::25 MTM:220:::::25 MTM:202:::::25
    MTM:1:::::25 MTM:233:::::25 MTM:234:::::25 LU::g::::16 NU::g:::g:16 LU::::::16 LU::::::0 LU::::::22 MTM:230:::::22
    LU::::::1 MTM:220:h::::3 MTM:230:h::::3 MTM:222:h::::3 MTM:228:h::::3 MTM:10:h::::3 MTM:11:h::::3 MTM:12:h::::3
    MTM:13:h::::3 MTM:14:h::::3 MTM:15:h::::3 MTM:16:h::::3 MTM:17:h::::3 MTM:18:h::::3 MTM:19:h::::3 MTM:20:h::::3
    MTM:21:h::::3 MTM:22:h::::3 MTM:23:h::::3 MTM:24:h::::3 MTM:25:h::::3 RU::h::::3 RU::h:::h:3 MTM:230:::::20
    MTM:30:::::20 MTM:31:::::20 MTM:32:::::20 RD::::::20 RU::::::20 RR::::::20 RR:::1:::20 RR:::2:::20 RD:::2:::20
    MTM:27:::::20 MTM:28:::::20 MTM:29:::::20 MTM:33:::::20 MTM:34:::::20 MTM:230:::1::20 MTM:230:::2::20
    MTM:220:::3::20 MTM:220:::::20 AU::::::20 MTM:35:::::20 EU::::::20 RR::::::24 MTM:36:::::24 RD::::::24
    MTM:230:::::24 MTM:220:::::24 RU::::::24 MTM::::::24 RC::::::24 MTM:27:::::24 MTM:28:::::24 MTM:29:::::24 MTM::::::4
    LUM::::::4 LU::::::4 LU:::3:::4 MTM:7:::4::4 MTM:9::::v:4 MTM:230:::::4 MTM:220:::::4 LU::::::5 MTM::::::5
    LUM::::::5 MTM:7:::::5 LUM::::5::5 LUM:::4:::5 MTM:9::::v:5 LUM::::6::5 MTM:230:::::5 MTM::::::6 LUM::::::6
    LU::::::6 MTM:7:::::6 MTM:9::::v:6 MTM::::::7 LUM::::::7 LU::::::7 MTM:7:::::7 MTM:9::::v:7 MTM::::::8 LUM::::::8
    LU::::::8 MTM:7:::::8 LUM::::7::8 LUM:::5:::8 MTM:9::::v:8 MTM::::8::8 LUM::::9::8 MTM::::::9 LU::::::9 LU:::8:::9
    LUM::::10::9 LUM::::::9 LUM:::7:::9 LUM:::6:::9 MTM:9::::v:9 LUM::::11::9 MTM::::::10 LUM::::::10 LU::::::10
    MTM:7:::::10 MTM:::9:::10 MTM:9::::v:10 MTM:84:::::10 MTM:91:::12::10 LU::::::11 MTM::::::11 LUM::::::11
    MTM:7:::::11 LTM:::11:::11 LUM::::13::11 LTM:::10:::11 LUM:::11:::11 MTM:9::::v:11 LUM::::14::11 LUM::::15::11
    MTM::::::12 LUM::::::12 LU::::::12 MTM:9::::v:12 LUM::::16::12 LUM:::13:::12 LUM:::12:::12 LUM::::17::12 MTM::::::13
    LUM::::::13 LU::::::13 MTM:9:::18:v:13 LUM::::19::13 LUM:::15:::13 LUM:::14:::13 LUM::::20::13 LU::::::14
    MTM::::::14 MTM:103:::::14 MTM:9::::v:14 MTM:107:::::14 LU::::::15 MTM::::::15 MTM:118:::::15 MTM:9::::v:15
    MTM:122:::::15 LU::::::21 MTM:220:::::21 MTM:216:::::21 LUM::::::21 MTM:129:::::21 MTM:130:::::21 MTM:132:::::21
    MTM::::::21 MTM:230:::::21 MTM:9::::v:21 LU::::::17 LU:::16:::17 LUM::::::17 MTM::::::17 MTM::::21::17 MTM:7:::::17
    MTM:9::::v:17 MTM:220:::::17 LU::::::2 LU::::::28 MTM:230:::::28 MTM::::::28 MTM:9::::v:28 LUM:9::::v:28 LUM::::::28
    LD::::::28 MTM:228:::::28 MTM:222:::::28 MTM:220:::::28 MTM:234:::::28 LU:::17:::28 MTM:7:::::28 LUM::::22::28
    LTM:::17:::28 LUM:::17:::28 MTM:1:::::28 LU::::::26 LU::g::::26 MTM:230:::::26 MTM:220:::::26 MTM:234:::::26
    MTM:214:::::26 MTM:202:::::26 MTM:232:::::26 MTM:228:::::26 MTM:218:::::26 MTM:233:::::26 NU:::::n:30 NC:::::j:30
    NU::::::30 LU::::::30 MTM:230:::::30 MTM:9::::v:30 LU::k::::19 LU::::::19 MTM:218:::::19 MTM:228:::::19
    MTM:232:::::19 MTM:222:::::19 LU::k:18:::19 LU::k:19:::19 MTM:8:::23::19 MTM:8:::24::19 NU:::::k:19 LU::::::36
    LU::k::::36 LU::::::29 MTM:230:::::29 NU::::::29 MTM::::::29 MTM:9::::v:29 LUM::::::29 LD::::::29 LL::::::29
    MTM:220:::::29 LUM:9::::v:29 MTM:7:::::29 LU::g::::29 LU::::::35 LU::k::::38 MTM:26:h::::38 MTM:230:::::38
    MTM:220:::::38 RU::::::38 LU::::::39 MTM:220:::::39 MTM:230:::::39 RU::::::39 MTM::::::39 MTM:1:::::39 MTM:9::::v:39
    RD::::::39 RR::::::39 RL::::::39 AU::::::39 LUM::::::39 LU:::20:::39 MTM:7:::25::39 MTM::::26::39 MTM:::21:::39
    MTM:7:::::39 LUM:9::::v:39 LUM::::27::39 LUM:::22:::39 LUM::::28::39 LU:::26:::39 LU:::24:::39 LU:::25:::39
    LUM::::29::39 MTM::::30::39 LUM:::23:31::39 LUM::::32::39 LUM::::33::39 LUM:::27:::39 MTM::::34::39 LUM::::35::39
    LUM::::36::39 LUM:::28:::39 LUM::::37::39 LUM:::29:::39 LTM::::::39 LTM:9::::v:39 MTM:::30:38::39 MTM::::39::39
    MTM::::40::39 MTM:::32:::39 MTM:::31:::39 MTM:::31:41::39 LU:::33:::39 LU:::33:42::39 LU::k::::39 LUM:6:k::::39
    LUM:216:::::39 MTM:232:::::39 RT::::::39 LU::k::::40 LU::::::40
"""
#: For each of the sets: the numbers of its marks.
_COMPOSITIONS: Final = """
    1,2,3 2 4 5,6 7,8,9 10 10,11 11 12 13,14,15 14 16 16,17 18 18,19,20 21 22 23 23,24 25 26 27,28 29,31,32 30 31 32
    33,34,35 36 37 38,39,40,41 39 39,40 42
"""
#: First and last code point; slope, and what is added in labels without and with ASCII characters, in half Punycode
#: digits: so many characters cost at most ``slope * characters + added``. Found by dynamic programming over what the
#: encoder of RFC 3492 may meet (its bias, the digits so far, the code points left to climb); a line drawn above that.
_WINDOWS: Final = """
    400-45F:4:8:18 530-58F:4:8:18 10A0-10FF:5:1:8 590-5FF:5:1:9 900-97F:5:1:9 980-9FF:5:1:9 A00-A7F:5:1:9 A80-AFF:5:1:9
    B00-B7F:5:1:9 B80-BFF:5:1:9 C00-C7F:5:1:9 C80-CFF:5:1:9 D00-D7F:5:1:9 D80-DFF:5:1:9 E00-E7F:5:1:9 E80-EFF:5:1:9
    370-3FF:5:2:8 1000-109F:5:2:10 B7-17F:5:2:10 3005-30FF:5:2:14 600-6FF:5:2:13 F00-FFF:5:2:13 400-52F:5:2:12
    B7-24F:5:3:14 700-8FF:6:0:6 B7-36F:6:0:6 1D00-1FFF:6:0:8 B7-5FF:6:0:10 1100-1CFF:8:-2:2 A000-ABFF:7:1:9
    2000-2FFF:7:0:8 B7-10FF:8:-2:2 900-200F:8:-2:4 600-200F:8:-2:4 B7-1FFF:8:-2:4 AC00-D7A3:8:0:4 3005-9FFF:8:0:8
    3005-D7A3:9:-1:4 B7-FFFF:8:2:10 10000-1FFFF:9:0:6 B7-3FFFF:10:-2:4
"""
#: zlib, base85. For each range the gap before it, its length less one, and its class; numbers in seven bits a byte, low
#: bits first, the eighth set while more follow.
_RANGES: Final = (
    "c-rk(d6=D5dH?<1Z@b@}J8PK9o=lcWNMJIAu!veA$)Ff;X^@gOri7_5)wYJxT8v#n2p~&PL0ky32qA!Dk#1a4plDT^SZ(b>EOb#@83Za_)b=Jb"
    "g#OO?&Nnj|Vji{dhkg1y_dV}>-t+F~J?DJ4PGIp=G9&S_{UVJ#bXxxG<*+}&h#9OHBU)S#=Ei~_1X#)x95bd?Ed>tw@o>y?DK0I%{J+%4?7hc_"
    "F5$c=XN)w8^H{Z<ftZN8kYr2<_cNr3G9YD~ft57M44E-QoIAcHDH50?pl#OZgcHeY>WM1YG(Og3v*v%z8Y8Q9pf+=UtrD0Me=RTlMX1H78EY&0"
    "T8XwF`4_iGKZe#3fA&%)UuGBo``;3Dq>DO;jtZtAItm(1W2YmMqmWDiJ(C5q3lK3Cm<CJ-W&ksRS-@;y4loz&2Ic|tfd#}uq6b(+r!s|Fb&B)T"
    "8H?j+F?jUMYzeRwI0iU2K`*cjQ6C&}oFDrT_c~6km#L=9J@a^A1#kjz;+QUQ5^yr`D&Q30)xc{IFL5LNn7=lr6n_dP<ICcfUbOe2$J=+-dQs^M"
    "?uwCxuRdx_mssSDU<tTP203PyeaK%2>veqew&7IZG}ubSry^PjO)GxHgpmck3Rn%6qpfxvt`2<jBVICcl}Wd{5_T$DR)VD$c-s7!tVB;gs;2|}"
    "EqOn>S0XJfus_3U>+DA)PCqJsG(X0xI%FsI7K%9Y(z1Nn>ew;+y}SM~k4cA?Uhn1m83*~SNJlPmuUp8oj14|=?-B88G_T^sIuyCPYP<nB19)R7"
    "1$}X(VrzgivEVG=O-TJnKPDRe65b4)1v?Yj8bq4D1w7Mn@K)fb!MDmnMJill`B`ice=Tq}_%>#1jccuQEz`Bc+9+CUILEL4j8+kyZ8#Trn~BCc"
    "@hkY*3fF>XThrPqr1Epd^}ySiY>2tRIyW%gKx{DmG{w);-VUyhx!#MN7h!!B8}fXEn6M4N`X+7!&SzzSHo(pSrUT>v;{n4j00Xe|5pQH6!}Ec6"
    "7zSE70B*E=AeTV0k+=Z7klCPd&^ia14w8e62Mxan3<B?j1aKju3k>fPVZ0FdrNqSiW#Csb8w4+~e2^Gy!@Ge^Og2TfiMR;1DWZr?q$9+Pnl{Dw"
    "Rp4Ssk{3t#HQ?7ZrHS(%!=@C!(UNa!!zHlyLSwd>wwYa<*}B>AK43HK5=8GMeiOWeqVZc9ejE55C&taj&Ei|WxeZ%@OZD1r)n~#M+7@<gVZMd&"
    "7Q<!we9-Dvp>19QxV(_W6#-w#VqF&Se!VzX317`bX1E2sl$Lu+GBsW!ook88c0IO&qql2*o#ch_fnqJXMm9gF`G*A8N=`f!GKo34>zO$$Tb6HU"
    "HIW_Mp!tW%_8S>Zy^*X4a3d|%93Ro+`cc0QyTQv6qVchUhmQw*6VqHeqMQ46XnwO`2N?<T6QXZnk_LWst8Cp&<~z8Ux5=I$7EBFvew*ZO7l@98"
    "`AN}t2p2qygIsi{?A-3<W7+A(PF4jq-lbS}>bbs4at?NB{cg$bl+IzGNuaeD_sIUelK&Kw=w8u7g1ZYIKP~*b1&(*>vtmfPhk+)64KbJBQx@JQ"
    "ozF;KnD>kRJ;Cpbc3AV+;Xf#7{$U~G)~fe0P3{|?N21NiI_!ADsjvx0;@9pgY?tzh^YurCytADLJ;@xu^Z}YZz)S6nx&p3ilZ6rJqXX_f%vy`^"
    "s{*}BU=Ompwa&J4>TG&07Nbpz)9Xyu)R|^=X6<!Fvs+&OSnv?@j&lAGo5EVHCLI$vdWCG@VPz(nOc=rxu9P-*s~hXuCF$Zpb#I-E1nIg*n8m^N"
    "yhpV5CxS<qoL*;jj<YX*^l-6m533V`?Zn|ny)EFgtS**+*=agPK9oo5?0412))DmL6C5wt2=UU#HzDRM*mpiN#p?9)!e+DLuf(#MIGcrSGSCjk"
    "!C!m8S-_FQpBtA`T&+=v0e>o}9~oP~^Bn%X;0v<p^uHKv1kA@mt|k8=#ZYIY*xSomqz~$p1>dtnJ))3%*kiwEjy}2cH@*jBwR3yJhge%sFZMj!"
    "JyvI@Q<2Z;xH@af;dC_|@n@<}s8#gYus3cG#E<GlY)RNNhPZr<)t5bcq`O!29`(^4-41)$A(&O$L(bd79)3w{e=b`A`}vmzUn%DJ3w<g&-d}3%"
    "tAY1d0>}I7FfVi|yZ;YA1jKvvV*KC81=(I!lD(`tJekH`$s8V5aIfyPy=)cawwICS6=6nu*&<#i{zg6Zx9;2Faq4Q@#}frZoqhZ0CJ_r<LhP{P"
    "CHt7*(6ygPP%c@ZVPEsO)>F(~es=OcPQ~95UHh1);vWg-eocRe9_Ql`o={Dn6g<KC_<P}h5d5RypH%ZF8OLt@>$+0{#w&#R1Ne!<-w5kRz%!oE"
    "+wx7(|14bS+fPdD9m0|1GdKU2upfn;bm_Nv(cEwGxYnn5Y5eGlr+C_nck(G>dp^w7y~FzYwP8jxhjluJ)e5fwa9EK%%{YHr^Kbvyc8pIGrw_9#"
    "+*A3sUY;KyYp+lqKP+SuVm{0|5Mt+#9&ZxhNHXyed{2ZK@^6`o=NVlG4nM0d3iB>uJ|_^3=VbF)PFeo1qQ4^;))$M`mP@Afxk67mRW(%Fu02YI"
    "$MW;GdW2)=<9V91TP<t?|Hfl2(94|czZX8EXU2WAkZY;Rb{y<YlkKBLCzIraa|<$MUb1a2uC5}c!f)`oyy#1p4_t5IdEr3EC2w42nrvG&*a$w&"
    "N}JE>|DV<a<f&qGuvGiy<Ngm{<8$YSy5gBbFoO*r>z(KRC!g)-cf}P5S20eTeV5-OzQ?U;`h9(2{g?E=&(-*EZjYK8`r9Dr5Kz$4pfxu*|9uT!"
    "X4ucmIIE$Lz=j^k{hT|u!R9HF${I|28cO*9liAW(&|oayy7!3A8(ik*iyN%0XmCZfu*$UX5Q$fNz#7au8+xG|oQ4LsBqQp*5%L%TM^tysyGB?Q"
    "<a0*2vZLTvI|b86m<kr1EG*t>l7)?GeN=rus+#N<ID9~TAw3h!a`rXH3w}MuL3WE52^PdJy8r(MXGfU&cLq9ot05L0y%^{qX9060=pFDjr=J+&"
    "Q>@J>Z3^2&oe6vftoggo7~v(yJ3aa7o*)w)&{z0nmI|O6O;^FGnjGK~SC9kx{up7~m|+DZ9Jzp~B4|DD+-kJ_EQ1`w7GzwZ+`0-;m42lRw5_xk"
    "WJ}#hT@Z!fn_hg0-K7|h!zb>G8ss^#2ow0iGu=jGn-v=;e1f{G+0h3%R~_Xr)IFf%sd@Z7$acE*%gymUt_1A#OzV;4=xj>|S6C(=&C?ppw4S=$"
    "7C8AU3pteX?^m1$Ny)^{uGd#b&v&v{nYkEB|9!zvCCqWPY&gA9FYDrDnVUNe(p}IlJT2&18K0AvuG0~ny1C0)_;qQa$0(d8#g#2<g#D9l5_~Dg"
    "#O1}praP%78`e2~0vS7eRjAiBhBCHjoASEW&y7VMF3%L(Es2X7SgM{=6E^v{t_wCkpu^$f`=FPn<1Z}Y1wLd&Zr4l3)!_!oC@#<Yu=mBWy}3Hz"
    "ke6_?@|b->s8cp!AIsXioK=&=@00dY7t0*CAGopb>+A9n$$d1$@v$P`G5v#KkBWFJva^f6upciJ)C|U(3VM>#)Tn64`F)cEoG3S{1KD7c3@=(*"
    "CKhDI0xUN@G^MWCSu?b0lVvA1sBFhhR-3w;$4u_PBET!Sq`^+t0<vsb*#4<5iXG;*8@Sn*-#9v{{M&3CUu89UdcCu=X#7ZdooL&b4ukwmhh0|u"
    "L{YKDW!91_GjKAZE8<ng<ik<u)x0(#bIG_0cAU{*yYM+>RcxZnHe1)NN6J-1$Da#B?5SEVDdleQex1xT_h@y7W0{6^j^j6$N2RBTEkg0W(8^=x"
    ";vH{Q*EVSqbmqE;(Y3YHncNLwhqYmT_d=UL@7`a8Gn<Dy&MVbqa9+57bbg{k?umnJ&Wixfk^Eb3(hd#t^NQiiM{QK1pHU^+oUkH8%P6Zm6k76_"
    "j_U3cXFI)HW#cx%?SfAV?g;I8r}<50*fjZgtocEyWpj#~Cw+6ku8i>uY;p%cH$$!i;aVj>N`92l{gJ;ecbYqvz+IuIig}c~Xcf_GbPpc8ro1mD"
    "aMCu*T%#!W)BL&I<#TT0-HK_K)t)@1!G$Wyc^B(~xL!%O9N*wAuZ?yYQ-MTyhwZXhL@wRgqD{CZ-euXf3i0xecPTzuk1EA>MBeiY{N}=5^>x=M"
    "uTJeAtMCOKoO`UB_t?RflSUaYcO5&b|EQzva+jHE`qj#*;bukHex=6FFfYL-%_pt3#0C9M)sSrm=x$l}x>GmpJ9MjEbgW_&4{7mz<zA%Encu<#"
    "Y<GuW-wAG;_C+&YuiR^6Z?a=DNP4Copf7Sx;ny=6aN6)+4DKd(^NRT2@QFp^pN9N`zBiiE{XBD?-tOc;I1Hb%I3MAz-mibfhOGP6`9sF*dWX#J"
    "fAx^HekUHXI~IIt(U2wgt{So{>-OlnPuu?hpg<@+"
)


class Character(NamedTuple):
    """What the rules ask of a character."""

    bidi: str
    joining: str
    is_mark: bool = False
    combining: int = 0
    #: ``g`` Greek, ``h`` Hebrew, ``k`` Hiragana, Katakana or Han.
    script: str = ""
    #: Number of a set of marks; 0 is the empty one.
    composes: int = 0
    mark: int = 0
    #: ``-``, ``l``, ``C`` (a capital), ``v`` (a virama), or the rule that it has: ``b`` U+00B7, ``g`` U+0375, ``h``
    #: U+05F3 and U+05F4, ``k`` U+30FB, ``n`` U+200C, ``j`` U+200D.
    kind: str = ""
    #: The smallest window that holds it; -1 for ASCII.
    window: int = -1

    @property
    def is_ascii(self) -> bool:
        """Whether it is a basic code point of Punycode."""
        return self.window < 0


class Characters(NamedTuple):
    """The characters by class."""

    classes: tuple[Character, ...]
    #: First and last code point, and the place of the class.
    ranges: tuple[tuple[int, int, int], ...]


class Window(NamedTuple):
    """A range of code points, and what characters from there cost in A-form, in half characters."""

    first: int
    last: int
    #: For each character.
    slope: int
    #: Once, in a label without and with ASCII characters.
    pure: int
    mixed: int


#: Characters of ASCII: hyphen, digits, the letter l, other letters, capitals.
_ASCII: Final = (
    Character("N", "U", kind="-"),
    Character("E", "U"),
    Character("L", "U", kind="l"),
    Character("L", "U"),
    Character("L", "U", kind="C"),
)
_ASCII_RANGES: Final = (
    (0x2D, 0x2D, 0),
    (0x30, 0x39, 1),
    (0x41, 0x5A, 4),
    (0x61, 0x6B, 3),
    (0x6C, 0x6C, 2),
    (0x6D, 0x7A, 3),
)


def _character(word: str) -> Character:
    kinds, combining, script, composes, mark, kind, window = word.split(":")
    return Character(
        kinds[0],
        kinds[1],
        len(kinds) > 2,
        int(combining or 0),
        script,
        int(composes or 0),
        int(mark or 0),
        kind,
        int(window),
    )


@cache
def characters() -> Characters:
    """All characters that a name may hold beside its dots; unpacked at first use, in some four milliseconds."""
    classes = (*_ASCII, *map(_character, _CLASSES.split()))
    numbers = read_numbers(zlib.decompress(b85decode(_RANGES)))
    ranges = list(_ASCII_RANGES)
    at = 0
    for gap in numbers:
        first = at + gap
        last = first + next(numbers)
        ranges.append((first, last, next(numbers) + len(_ASCII)))
        at = last + 1
    return Characters(classes, tuple(ranges))


@cache
def compositions() -> tuple[frozenset[int], ...]:
    """The sets of marks that characters compose with."""
    return (frozenset(), *(frozenset(map(int, word.split(","))) for word in _COMPOSITIONS.split()))


@cache
def windows() -> tuple[Window, ...]:
    """All windows, the smaller first."""
    found = []
    for word in _WINDOWS.split():
        span, *costs = word.split(":")
        first, last = span.split("-")
        found.append(Window(int(first, 16), int(last, 16), *map(int, costs)))
    return tuple(found)
